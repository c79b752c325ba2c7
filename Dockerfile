# docker build -t sitecrawl .  ;  docker run sitecrawl worker -s SITECRAWL_DATABASE_URL=postgresql://...
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev libxml2-dev libxslt1-dev
COPY . /source
RUN python -m venv /opt/sitecrawl && /opt/sitecrawl/bin/pip install --no-cache-dir '/source[postgresql,queue,metrics]'

FROM python:3.13-slim
COPY --from=build /opt/sitecrawl /opt/sitecrawl
RUN useradd --create-home sitecrawl
USER sitecrawl
WORKDIR /home/sitecrawl
ENTRYPOINT ["/opt/sitecrawl/bin/sitecrawl"]
CMD ["worker"]
