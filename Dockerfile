# docker build -t svc-identity .
# docker run --rm -p 127.0.0.1:7820:7820 -v svc:/data svc-identity serve --providers simulated --public-url http://localhost:7820
# docs/operations.md has the rest: a seed with your application's callback, real providers, and how to stop it.

FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
# The command line carries its packages in its bundles: nothing else has to be installed beside it.
RUN npm run build && rm -rf dist/types dist/lib dist/testing dist/*.js

FROM node:22-bookworm-slim
ENV NODE_ENV=production SVC_HOST=0.0.0.0 SVC_DATA_DIR=/data
WORKDIR /app
COPY --from=build /src/package.json /src/LICENSE ./
COPY --from=build /src/bin ./bin
COPY --from=build /src/dist ./dist
COPY --from=build /src/fixtures ./fixtures
RUN ln -s /app/bin/svc.js /usr/local/bin/svc && mkdir /data && chown node:node /data && chmod 700 /data
USER node
# A file store and what commands in the container need to know are in /data.
WORKDIR /data
VOLUME /data
EXPOSE 7820
STOPSIGNAL SIGTERM
# Live, not ready: a database that is away does not get better when the container is replaced. The server's file says where it
# listens, whatever --port and --https are.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["node", "-e", "const { readdirSync, readFileSync } = require('fs'); const servers = process.env.SVC_DATA_DIR + '/servers/'; let own = {}; try { [own = {}] = readdirSync(servers).map((name) => JSON.parse(readFileSync(servers + name))).filter(({ host, directory }) => host === require('os').hostname() && directory === process.cwd()).sort((a, b) => (a.started_at < b.started_at ? 1 : -1)) } catch {} require(own.certificate ? 'https' : 'http').get({ host: '127.0.0.1', port: own.port || process.env.SVC_PORT || 7820, path: '/__svc/health/live', rejectUnauthorized: false }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["svc"]
CMD ["serve"]
