scenario "other" {}
