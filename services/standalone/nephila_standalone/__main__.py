"""`python -m nephila_standalone`: the command where no script was installed."""

from nephila_standalone.cli import main

if __name__ == "__main__":
    main()
