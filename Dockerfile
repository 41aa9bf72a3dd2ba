# The program for every role (KEELSON_ROLES). Debian, because Temporal's native client needs glibc.
FROM node:24-slim
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
COPY . .
RUN node scripts/bundle-workflows.ts
ARG BUILD_COMMIT=
# The limits of memory: docs/operations.md says what each does.
ENV NODE_ENV=production BUILD_COMMIT=${BUILD_COMMIT} \
    NODE_OPTIONS="--max-semi-space-size=16 --max-old-space-size=256" MALLOC_MMAP_THRESHOLD_=131072
USER node
EXPOSE 6443
CMD ["node", "src/main.ts"]
