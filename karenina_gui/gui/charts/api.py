"""HTTP routes of charts: tables as files."""

from __future__ import annotations

from nicegui import app, run
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from karenina_gui.errors import NotFoundError
from karenina_gui.gui.session.app_context import AppContext


def register(services: AppContext) -> None:
    @app.get("/api/runs/{run_id}/charts.csv")
    async def chart_table(request: Request, run_id: int) -> Response:
        from karenina_gui.analysis.chart_process import ChartError
        from karenina_gui.gui.charts.query import ChartQuery
        from karenina_gui.gui.charts.source import ChartSource
        from karenina_gui.gui.charts.table_file import chart_csv, csv_name

        query = ChartQuery.from_query(request.query_params)
        try:
            name = services.library.runs.summary(run_id).name
            reply = await run.io_bound(ChartSource(services, run_id).ask, query, None)
        except NotFoundError as error:
            return JSONResponse({"message": str(error)}, status_code=404)
        if reply is None or isinstance(reply, ChartError):
            return JSONResponse({"message": reply.message if reply else "The application is closing."}, status_code=500)
        finding = reply.finding
        disposition = f'attachment; filename="{csv_name(name, query, finding, "csv")}"'
        headers = {"content-disposition": disposition, "cache-control": "no-store"}
        return Response(chart_csv(name, query, finding), media_type="text/csv; charset=utf-8", headers=headers)
