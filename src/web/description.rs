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
                that have a spot solved or a command started, name a solution, begin a class or \
                answer in one.",
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
        let parameters = in_path(path);
        if !parameters.is_empty() {
            operation["responses"]["404"] = reference("Problem");
            operation["parameters"] = parameters.into();
        }
        self.add(path, "get", operation);
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
        let parameters = in_path(path);
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        let body = json!({ "$ref": format!("#/components/schemas/{name}") });
        operation["requestBody"] = json!({ "required": true, "content": content(&body) });
        self.add(path, "post", operation);
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
        let parameters = in_path(path);
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        if let Some(kind) = body {
            let schema = json!({ "type": "string", "contentMediaType": kind });
            operation["requestBody"] =
                json!({ "required": true, "content": { kind: { "schema": schema } } });
        }
        self.add(path, "put", operation);
        path
    }

    /// Adds what a method does at a path to what others do there.
    fn add(&mut self, path: &str, method: &str, operation: Value) {
        let methods = self.paths.entry(path).or_insert_with(|| json!({}));
        methods[method] = operation;
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

/// The parameters that are parts of a path, in braces.
fn in_path(path: &str) -> Vec<Value> {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let parameter = |name| {
        let (description, kind) = match name {
            "hand" | "number" => ("Its number, from 0.", "string"),
            "hand_id" => ("Its number.", "integer"),
            _ => ("Its name.", "string"),
        };
        json!({
            "name": name,
            "in": "path",
            "required": true,
            "description": description,
            "schema": { "type": kind },
        })
    };
    names.map(parameter).collect()
}
