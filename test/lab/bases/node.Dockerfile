# What the official image node:VERSION-bookworm-slim holds, from Debian's packages and npm's: no hub is asked.
# The build context is the folder that bases.ts fills.
FROM arm-bridge-lab:bookworm
COPY node/ /usr/local/
COPY npm /usr/local/lib/node_modules/npm
COPY certificates/ /usr/local/share/ca-certificates/
COPY npmrc /usr/local/etc/npmrc
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
 && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
 && update-ca-certificates \
 && groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node
# As the machine has it: registries are reached by its certificates.
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt PIP_CERT=/etc/ssl/certs/ca-certificates.crt PIP_RETRIES=10
