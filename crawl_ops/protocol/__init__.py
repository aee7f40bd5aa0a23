"""The wire: http, robots.txt, fetch queues."""
