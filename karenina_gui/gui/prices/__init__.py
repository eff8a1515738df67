"""What tokens cost: the page of prices, and money in words."""
