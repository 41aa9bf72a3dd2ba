#!/bin/sh
# npm run start:prod and the image: the program, with limits of memory that follow the machine.
set -e
export NODE_ENV=production
settings=$(node scripts/startup/memory-settings.mjs)
eval "$settings"
exec node src/main.ts
