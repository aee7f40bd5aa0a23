"""The parts of the generate job: claims of runs, selection, fetch lists, asking again."""
