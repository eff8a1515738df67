"""What the charts of a run show: one file each, without a screen."""
