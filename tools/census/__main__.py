from tools.census import main

main()
