"""python -m crawl_ops: the command line."""

import sys

from crawl_ops.cli.main import main

sys.exit(main())
