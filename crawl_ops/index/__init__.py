"""The search index: documents, writers, search."""
