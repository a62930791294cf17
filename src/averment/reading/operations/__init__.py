"""Operations: what a question may ask for, each proposing plans from the slots."""
