"""Steps of updatedb."""
