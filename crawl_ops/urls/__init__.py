"""URLs: normalizers, filters, host and domain, key."""
