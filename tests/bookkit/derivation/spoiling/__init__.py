"""False statements, made by spoiling true ones in one place; and whether they are false, without the engine."""
