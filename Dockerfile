# The web console, built apart: the program needs none of what builds it.
FROM node:24-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY scripts scripts
COPY sdk sdk
COPY web web
RUN node scripts/build-console.mjs

# The program for every role (KEELSON_ROLES). Debian, because Temporal's native client needs glibc.
FROM node:24-slim
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
COPY . .
COPY --from=console /app/web/dist web/dist
RUN node scripts/bundle-workflows.ts
ARG BUILD_COMMIT=
ENV NODE_ENV=production BUILD_COMMIT=${BUILD_COMMIT}
USER node
EXPOSE 6443
CMD ["sh", "scripts/start-production.sh"]
