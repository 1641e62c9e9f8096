"""`python -m similitude` is the command `similitude`."""

from similitude_start import main

if __name__ == "__main__":
    main()
