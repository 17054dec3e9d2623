# The service in an image: docker build -t kundebok . && docker run -p 3000:3000 -v kundebok:/data kundebok
# Without DATABASE_URL, PostgreSQL runs beside it with its data under /data.
FROM node:26-bookworm-slim AS build
WORKDIR /app
COPY . .
# The lock file names the Node and the PostgreSQL that the service runs on; the pages are built on the way.
RUN npm ci --no-audit --no-fund \
  && npm run build \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && node scripts/sbom.ts > sbom.cdx.json \
  && rm -rf test bench examples scripts web/routes web/components web/client web/frame web/words web/reference web/public docs/pictures

FROM debian:bookworm-slim
# Node loads libatomic, which the base image does not have.
# The user has a fixed number, so that the owner of the volume is the same in every release. PostgreSQL refuses to run
# as root. A new volume at /data begins as a copy of this /data, with a folder for backups.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends libatomic1 \
  && rm -rf /var/lib/apt/lists/* \
  && groupadd --system --gid 10001 kundebok \
  && useradd --system --uid 10001 --gid 10001 --home-dir /data --create-home --shell /usr/sbin/nologin kundebok \
  && install --directory --owner=10001 --group=10001 /data/backups
COPY --from=build /app /app
WORKDIR /app
USER 10001:10001
ENV HOST=0.0.0.0 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Bringing the schema of a large database up to date can take minutes, in which the service does not answer.
HEALTHCHECK --interval=15s --timeout=5s --start-period=10m --retries=3 \
  CMD ["/app/node_modules/.bin/node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/app/bin/kundebok"]
CMD ["serve"]
