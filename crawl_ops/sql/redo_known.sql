-- Which of some hosts the segments have URLs of.
SELECT DISTINCT host FROM asked WHERE list_contains($hosts::VARCHAR[], host)
