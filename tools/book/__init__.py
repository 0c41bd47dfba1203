"""The book's register: its chapters, what each says of itself and for other pages, its claims, and what comes of it."""
