import type {JsonObject, JsonValue} from '../../core/json.ts';

/** The proof in a request that its sender knows the secret. */
export type SignatureForm = HmacForm | TokenForm | Ed25519Form;

type Form = {
	/** Lower-case name of the header that holds the signature. */
	readonly header: string;
};

/** The secret itself after a prefix: `Bearer`. After `Basic` it is base64 of `user:password`, which is the secret. */
export type TokenForm = Form & {readonly token: true; readonly prefix: string};

/** An Ed25519 signature of `<timestamp><body>` in hex; the secret is the public key in hex. */
export type Ed25519Form = Form & {readonly ed25519: true; readonly timestampHeader: string};

/** An HMAC in one header, possibly with a signed time. */
export type HmacForm = Form & {
	readonly algorithm: 'sha1' | 'sha256' | 'sha512';
	/** Text before the digest: `sha256=`; may be empty. */
	readonly prefix: string;
	readonly encoding: 'hex' | 'base64';
	/** Separates several signatures, or a signature and its time, in the header; absent: a comma. */
	readonly separator?: ',' | ';';
	/** Lower-case name of the header with the time; within 300 s of our clock. */
	readonly timestampHeader?: string;
	/** Format of the time; absent: Unix seconds. */
	readonly timeFormat?: TimeFormat;
	/** Lower-case name of the header with the identifier that is signed as `{id}`. */
	readonly idHeader?: string;
	/** Key of the time in a header that is a list: `<timestampItem>=<Unix seconds>,<prefix><digest>…`. Not together with `timestampHeader`. */
	readonly timestampItem?: string;
	/** Template of the signed content: `{body}`, `{timestamp}.{body}`, `{id}{timestamp}{body}`; has `{body}` exactly once. */
	readonly signed: string;
	/** The time in the signed body: Unix milliseconds under `field`, within `toleranceMs` of our clock; it may be absent. */
	readonly bodyTime?: {readonly field: string; readonly toleranceMs: number};
	/** The signed content of a sender that also signs the address, which the route must configure (`public_url`); `undefined`: the request cannot be checked. */
	readonly contentOf?: (request: AddressedRequest) => string | undefined;
};

/** An HMAC-SHA256 of the body in hex, in a header without a prefix; `differs` overrides that. */
export const hmacSha256 = (header: string, differs: Partial<HmacForm> = {}): HmacForm => ({
	header,
	algorithm: 'sha256',
	prefix: '',
	encoding: 'hex',
	signed: '{body}',
	...differs,
});

/** `iso`: RFC 3339. `any`: RFC 3339, Unix seconds, or Unix milliseconds (13 digits). */
export type TimeFormat = 'iso' | 'any';

/** A request as its sender sent it. */
export type AddressedRequest = {
	/** Includes the query. */
	readonly url: string;
	readonly body: Buffer;
	readonly contentType: string | undefined;
};

/** The fields and headers that name an event and its delivery: the first present, non-empty one counts. All of them take precedence over the general headers. */
export type Names = {
	/** Lower case. Headers are not signed, so fields take precedence. */
	readonly eventHeaders?: readonly string[];
	readonly idHeaders?: readonly Parts[];
	/** Dotted paths into the payload. */
	readonly eventFields?: readonly string[];
	/** The event if no field names it. */
	readonly eventIn?: (payload: JsonObject) => string | undefined;
	/** Fields of an identifier that is the same at each retry. In signed bodies only these count. */
	readonly idFields?: readonly Parts[];
};

/** One name, or several that must all be present and form one value. */
type Parts = string | readonly string[];

/**
 * A template for the subject of an event, in one line for people; it applies if all its values are present. Parts in brackets, at its end, are left out unless their values
 * are present. A value is a text that is not blank (its first line, without `refs/heads/` and the like), a number, or a boolean; `headers.<name>` is a header. `needs`: a
 * field that must be present, too, with any value.
 */
export type SubjectRule = string | readonly [template: string, needs: string];

/** A service with a signature of its own, named by `signature: <name>` on a route. Data alone; to add one, add a file to this folder and a line to `senders.ts`. */
export type SenderPreset = {
	/** The checks in words, for the manual, as Markdown. */
	readonly description: string;
	readonly signature: SignatureForm;
	/** Other senders use this header, too, so it does not identify this one. */
	readonly hasCommonHeader?: true;
	/** The fields and headers that name the event and the delivery. */
	readonly names?: Names;
	/** Subjects of its events; the first that applies. They are also tried on events of other routes, so each has a value that only this sender sends. */
	readonly subjects?: readonly SubjectRule[];
	/** The answer to a challenge that verifies the address. Called for every payload with a valid signature; a payload with an answer is no event. */
	readonly challenge?: Challenge;
	/**
	 * The answer to its unsigned `GET` that verifies the address; `undefined` for any other request. `member`: the answer is a JSON object with the text under that name;
	 * absent: the text alone.
	 */
	readonly greet?: (
		asked: Greeting,
	) => {readonly text: string; readonly member?: string} | {readonly problem: string} | undefined;
	/** The answer to an event for which a person waits, in the form of this sender; without `body` it is empty. `said`: the result in a sentence. */
	readonly acknowledge?: (
		payload: JsonValue,
		said: string,
	) => {readonly body?: JsonObject} | undefined;
};

/** A `GET` request of a sender. */
export type Greeting = {
	readonly query: URLSearchParams;
	/** Reads a header by its lower-case name. */
	readonly header: (name: string) => string | undefined;
	/** Whether a text is a secret of the route, compared in constant time. */
	readonly isSecret: (text: string) => boolean;
};

/**
 * The answer to `payload` if it is a challenge, else `undefined`. `sign`: the hex HMAC-SHA256 of a text with the secret by which the request was signed. Without `body` and
 * `text` the answer is a 204.
 */
export type Challenge = (
	payload: JsonValue,
	sign: (text: string) => string,
) => {readonly body?: JsonObject; readonly text?: string} | undefined;
