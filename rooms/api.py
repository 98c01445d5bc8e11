"""What all REST views (edges) share: which methods there are, and how parameters are read."""

from rest_framework.views import APIView

from groupx.kernel.shapes import OwnShape, parse_query


class JsonView(APIView):
    http_method_names = ["get", "head", "post"]

    def query[T: OwnShape](self, shape: type[T]) -> T:
        """
        Raises:
            GroupXError: INVALID_ENVELOPE naming each parameter that does not fit.
        """
        return parse_query(shape, self.request.META["QUERY_STRING"])
