//! The OpenAPI 3.1 description of the JSON API, and that of the GTO Wizard Benchmark's. Each route
//! is described where it is made, in one call that gives the router its path; schemas come from the
//! types of the answers.

use axum::Router;
use axum::body::Bytes;
use axum::http::header;
use axum::routing::get;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::api::Problem;

/// The codes with which any path answers a request that is wrong, and the name of the response.
const ERRORS: [(u16, &str); 8] = [
    (400, "BadRequest"),
    (401, "Unauthorized"),
    (405, "Problem"),
    (413, "Problem"),
    (421, "Misdirected"),
    (429, "Problem"),
    (500, "Problem"),
    (503, "Problem"),
];

/// The schema of a body, in one piece.
pub fn schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>()
}

/// What the description of an API says about all of its routes.
pub struct About {
    /// The path of the description.
    pub path: &'static str,
    /// The object `info` without the licence.
    pub info: fn() -> Value,
    /// The codes with which any path answers a request that is wrong, and the names of the
    /// responses.
    pub errors: &'static [(u16, &'static str)],
    /// The schema of their bodies.
    pub problem: fn(&mut SchemaGenerator) -> Schema,
    /// The security schemes, one of which is needed where the server asks for a login.
    pub security: fn() -> Value,
}

/// The server's own API.
const OWN: About = About {
    path: "/api/v1/openapi.json",
    info: || {
        json!({
            "title": "cardroom",
            "summary": "Tables, matches and decisions of a bot server for computer poker.",
            "description": "Every answer that is no success has `error` and `remedy`. No request \
                changes anything on the server, but for those by PUT, which hand in bots, ask for \
                rounds of a scrimmage, and stop, resume and forget solves and runs, and those \
                that have a spot solved or a command started.",
        })
    },
    errors: &ERRORS,
    problem: |schemas| schemas.subschema_for::<Problem>(),
    security: || {
        json!({
            "basic": { "type": "http", "scheme": "basic" },
            "bearer": { "type": "http", "scheme": "bearer" },
        })
    },
};

/// The description as far as routes have been added.
pub struct Description {
    about: &'static About,
    schemas: SchemaGenerator,
    paths: Map<String, Value>,
}

impl Description {
    /// The description of no route of the server's own API.
    pub fn new() -> Description {
        Description::with_about(&OWN)
    }

    /// The description of no route.
    pub fn with_about(about: &'static About) -> Description {
        let mut settings = SchemaSettings::draft2020_12().for_serialize();
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
        Description { about, schemas: settings.into_generator(), paths: Map::new() }
    }

    /// Describes a path whose answer to GET is a `T`, and returns it for the router. Generated
    /// clients call the operation `id`.
    pub fn get<T: JsonSchema>(
        &mut self,
        path: &'static str,
        id: &str,
        summary: &str,
    ) -> &'static str {
        let answer = self.schemas.subschema_for::<T>();
        let mut operation = self.operation(id, summary, &answer, &[]);
        let segments = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let parameter = |name: &str| {
            json!({
                "name": name,
                "in": "path",
                "required": true,
                "description": if name == "hand" { "Its number, from 0." } else { "Its name." },
                "schema": { "type": "string" },
            })
        };
        let parameters: Vec<Value> = segments.map(parameter).collect();
        if !parameters.is_empty() {
            operation["responses"]["404"] = reference("Problem");
            operation["parameters"] = parameters.into();
        }
        self.paths.insert(path.to_owned(), json!({ "get": operation }));
        path
    }

    /// The same for a path that takes the keys of a `Q` as its query.
    pub fn get_with_query<T: JsonSchema, Q: JsonSchema>(
        &mut self,
        path: &'static str,
        id: &str,
        summary: &str,
    ) -> &'static str {
        self.get::<T>(path, id, summary);
        let query = Q::json_schema(&mut self.schemas).to_value();
        let keys = query["properties"].as_object().into_iter().flatten();
        let parameter = |(name, schema): (&String, &Value)| {
            let description = &schema["description"];
            json!({ "name": name, "in": "query", "description": description, "schema": schema })
        };
        let operation = &mut self.paths[path]["get"];
        let in_path = operation["parameters"].as_array().cloned().unwrap_or_default();
        operation["parameters"] = in_path.into_iter().chain(keys.map(parameter)).collect();
        path
    }

    /// Describes a path that takes a body of this schema by POST, answers a `T`, and has these
    /// further codes for what is wrong.
    pub fn post<T: JsonSchema>(
        &mut self,
        path: &'static str,
        (id, summary, description): (&str, &str, &str),
        (name, body): (&str, Schema),
        codes: &[u16],
    ) -> &'static str {
        self.schemas.definitions_mut().insert(name.to_owned(), body.into());
        let answer = self.schemas.subschema_for::<T>();
        let mut operation = self.operation(id, summary, &answer, codes);
        operation["description"] = description.into();
        if let Some((_, name)) = path.split_once('{') {
            let name = name.split('}').next().unwrap_or_default();
            operation["parameters"] = json!([{
                "name": name,
                "in": "path",
                "required": true,
                "description": "Its number.",
                "schema": { "type": "integer" },
            }]);
        }
        let body = json!({ "$ref": format!("#/components/schemas/{name}") });
        operation["requestBody"] = json!({ "required": true, "content": content(&body) });
        self.paths.insert(path.to_owned(), json!({ "post": operation }));
        path
    }

    /// [`post`](Self::post) for a path that is described for GET already.
    pub fn post_beside_get<T: JsonSchema>(
        &mut self,
        path: &'static str,
        operation: (&str, &str, &str),
        body: (&str, Schema),
        codes: &[u16],
    ) -> &'static str {
        let described = self.paths.remove(path).unwrap_or_default();
        self.post::<T>(path, operation, body, codes);
        self.paths[path]["get"] = described["get"].clone();
        path
    }

    /// Describes a path that takes a body of this kind by PUT, or none, answers a `T`, and has
    /// these further codes for what is wrong.
    pub fn put<T: JsonSchema>(
        &mut self,
        path: &'static str,
        (id, summary): (&str, &str),
        body: Option<&str>,
        codes: &[u16],
    ) -> &'static str {
        let answer = self.schemas.subschema_for::<T>();
        let mut operation = self.operation(id, summary, &answer, codes);
        if let Some((_, name)) = path.split_once('{') {
            operation["parameters"] = json!([{
                "name": name.split('}').next().unwrap_or_default(),
                "in": "path",
                "required": true,
                "description": "Its name.",
                "schema": { "type": "string" },
            }]);
        }
        if let Some(kind) = body {
            let schema = json!({ "type": "string", "contentMediaType": kind });
            operation["requestBody"] =
                json!({ "required": true, "content": { kind: { "schema": schema } } });
        }
        self.paths.insert(path.to_owned(), json!({ "put": operation }));
        path
    }

    /// The same for a path whose parts are a name and a number.
    pub fn put_in_parts<T: JsonSchema>(
        &mut self,
        path: &'static str,
        (id, summary): (&str, &str),
        body: Option<&str>,
        codes: &[u16],
    ) -> &'static str {
        self.put::<T>(path, (id, summary), body, codes);
        let parts = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let parameter = |name: &str| {
            json!({
                "name": name,
                "in": "path",
                "required": true,
                "description": if name == "number" { "Its number, from 0." } else { "Its name." },
                "schema": { "type": "string" },
            })
        };
        let parameters: Vec<Value> = parts.map(parameter).collect();
        self.paths[path]["put"]["parameters"] = parameters.into();
        path
    }

    /// Describes a path for both GET and POST, which answer a `T`.
    pub fn get_and_post<T: JsonSchema>(
        &mut self,
        path: &'static str,
        (id, summary): (&str, &str),
        operation: (&str, &str, &str),
        body: (&str, Schema),
        codes: &[u16],
    ) -> &'static str {
        self.get::<T>(path, id, summary);
        let read = self.paths[path]["get"].clone();
        self.post::<T>(path, operation, body, codes);
        self.paths[path]["post"]["parameters"] = read["parameters"].clone();
        self.paths[path]["get"] = read;
        path
    }

    /// The route at which the document is given, which describes this route, too.
    pub fn router(mut self) -> Router {
        let path = self.about.path;
        self.get::<Map<String, Value>>(path, "openapi", "This description.");
        let document = Bytes::from(self.document().to_string());
        let json = [(header::CONTENT_TYPE, "application/json")];
        Router::new().route(path, get(move || async move { (json, document) }))
    }

    fn document(mut self) -> Value {
        let problem = (self.about.problem)(&mut self.schemas).to_value();
        let response =
            |description: &str| json!({ "description": description, "content": content(&problem) });
        let mut schemas = self.schemas.take_definitions(true);
        schemas.values_mut().for_each(close);
        let mut info = (self.about.info)();
        info["version"] = "1".into();
        let licence = "MIT OR Apache-2.0";
        info["license"] = json!({ "name": licence, "identifier": licence });
        let schemes = (self.about.security)();
        let mut security = vec![json!({})];
        let names = schemes.as_object().into_iter().flatten();
        security.extend(names.map(|(name, _)| json!({ name: [] })));
        json!({
            "openapi": "3.1.0",
            "info": info,
            "servers": [{ "url": "/" }],
            "security": security,
            "paths": self.paths,
            "components": {
                "securitySchemes": schemes,
                "responses": {
                    "Problem": response("What is wrong, and what to do about it."),
                    "BadRequest": response(
                        "The request cannot be read, or asks for something that cannot be."
                    ),
                    "Unauthorized": response(
                        "The server requires a login, and the request has no valid one."
                    ),
                    "Misdirected": response(
                        "The request is for a host that this server does not answer for."
                    ),
                },
                "schemas": schemas,
            },
        })
    }

    fn operation(&self, id: &str, summary: &str, answer: &Schema, codes: &[u16]) -> Value {
        let mut responses = Map::new();
        let success = json!({ "description": summary, "content": content(answer.as_value()) });
        responses.insert("200".to_owned(), success);
        let errors = self.about.errors.iter().copied();
        let errors = errors.chain(codes.iter().map(|&code| (code, "Problem")));
        responses.extend(errors.map(|(code, name)| (code.to_string(), reference(name))));
        json!({ "operationId": id, "summary": summary, "responses": responses })
    }
}

/// A reference to a response.
fn reference(response: &str) -> Value {
    json!({ "$ref": format!("#/components/responses/{response}") })
}

fn content(schema: &Value) -> Value {
    json!({ "application/json": { "schema": schema } })
}

/// Says of an object that it has no other keys than those described.
fn close(schema: &mut Value) {
    if schema["properties"].is_object() {
        // Those of its variants count, too.
        let key = if schema["oneOf"].is_array() {
            "unevaluatedProperties"
        } else {
            "additionalProperties"
        };
        schema[key] = false.into();
    }
}
