"""``python -m conlinucb`` is the command ``conlinucb``."""

from conlinucb.cli.main import main

if __name__ == "__main__":
    main()
