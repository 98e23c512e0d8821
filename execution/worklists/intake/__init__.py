"""What people bring as a file or paste becomes checked rows: `preview` shows how it was understood, `checking` names
every bad cell. Nothing here knows rows of the database."""
