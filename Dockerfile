# Airflow's own image with crawl_ops in it; dags/ and include/ are mounted.
FROM apache/airflow:3.3.2-python3.11

USER root
RUN mkdir -p /opt/crawl/store /opt/airflow/secrets \
    && chown -R airflow:root /opt/crawl /opt/airflow/secrets

USER airflow
WORKDIR /opt/crawl
COPY --chown=airflow:root requirements.txt constraints.txt pyproject.toml README.md /opt/crawl/build/
# The image has Airflow with Celery and Postgres; constraints would move its own libraries.
RUN grep -v -e '^-c' -e '^apache-airflow' /opt/crawl/build/requirements.txt > /tmp/requirements.txt \
    && pip install --no-cache-dir "apache-airflow==${AIRFLOW_VERSION}" -r /tmp/requirements.txt
COPY --chown=airflow:root crawl_ops /opt/crawl/build/crawl_ops
RUN pip install --no-cache-dir --no-deps /opt/crawl/build
