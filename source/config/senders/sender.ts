import type {JsonObject, JsonValue} from '../../core/json.ts';

/** How a request shows that its sender knows the secret. */
export type SignatureForm = HmacForm | TokenForm | Ed25519Form;

type Form = {
	/** Lower-case name of the header that holds the signature. */
	readonly header: string;
};

/** The secret itself, behind a prefix: `Bearer`. After `Basic` it is the base64 of `user:password`, and those are the secret. */
export type TokenForm = Form & {readonly token: true; readonly prefix: string};

/** An Ed25519 signature of `<timestamp><body>` in hex; the secret is the public key in hex. */
export type Ed25519Form = Form & {readonly ed25519: true; readonly timestampHeader: string};

/** An HMAC in one header, perhaps with the time that it covers. */
export type HmacForm = Form & {
	readonly algorithm: 'sha1' | 'sha256' | 'sha512';
	/** Stands before the digest: `sha256=`. Empty for none. */
	readonly prefix: string;
	readonly encoding: 'hex' | 'base64';
	/** Separates several signatures, or a signature and its time, in the header; absent: a comma. */
	readonly separator?: ',' | ';';
	/** Lower-case name of the header with the time; within 300 s of our clock. */
	readonly timestampHeader?: string;
	/** How the time is written; absent: in Unix seconds. */
	readonly timeFormat?: TimeFormat;
	/** Lower-case name of the header with the identifier that is signed as `{id}`. */
	readonly idHeader?: string;
	/** The header is a list, `<timestampItem>=<Unix seconds>,<prefix><digest>…`: what stands before the time. Not beside `timestampHeader`. */
	readonly timestampItem?: string;
	/** What is signed: `{body}`, `{timestamp}.{body}`, `{id}{timestamp}{body}`. `{body}` stands in it exactly once. */
	readonly signed: string;
	/** Where the body, which is signed, tells the time: Unix milliseconds under `field`, within `toleranceMs` of our clock if they are there. */
	readonly bodyTime?: {readonly field: string; readonly toleranceMs: number};
	/** The signed content of a sender that signs its address too, which the route has to name (`public_url`); `undefined` if the request cannot be checked. */
	readonly contentOf?: (request: AddressedRequest) => string | undefined;
};

/** An HMAC-SHA256 of the body in hex, in a header without a prefix, unless `differs` says otherwise. */
export const hmacSha256 = (header: string, differs: Partial<HmacForm> = {}): HmacForm => ({
	header,
	algorithm: 'sha256',
	prefix: '',
	encoding: 'hex',
	signed: '{body}',
	...differs,
});

/** `iso`: as RFC 3339 has it. `any`: so, in Unix seconds, or in Unix milliseconds, which have 13 digits. */
export type TimeFormat = 'iso' | 'any';

/** A request as its sender made it. */
export type AddressedRequest = {
	/** With its query. */
	readonly url: string;
	readonly body: Buffer;
	readonly contentType: string | undefined;
};

/** Where requests name the event and the delivery: the first that is there and not empty. All of it counts before the general headers. */
export type Names = {
	/** Lower case. Headers are not signed: they count after the fields. */
	readonly eventHeaders?: readonly string[];
	readonly idHeaders?: readonly Parts[];
	/** Dotted paths into the payload. */
	readonly eventFields?: readonly string[];
	/** The event where no field says it; asked after them. */
	readonly eventIn?: (payload: JsonObject) => string | undefined;
	/** The identifier is the same at each retry. Where the body is signed, one of these alone counts. */
	readonly idFields?: readonly Parts[];
};

/** One name, or several that must all be there and count together. */
type Parts = string | readonly string[];

/**
 * What an event is about, in one line for people: a template that fits if every value in it is there. Each part in brackets, at its end, is left out unless its own values are there. A value is a text that is not
 * blank (its first line, without `refs/heads/` and the like), a number, or a boolean; `headers.<name>` is a header. `needs` is a field that must be there too, whatever it holds.
 */
export type SubjectRule = string | readonly [template: string, needs: string];

/** A service that signs in a way of its own: what `signature: <name>` on a route stands for. Data alone; a new one is a file of this folder and a line in `senders.ts`. */
export type SenderPreset = {
	/** The checks in words, for the manual, as Markdown. */
	readonly description: string;
	readonly signature: SignatureForm;
	/** Other senders use this header, too: it does not identify this one. */
	readonly hasCommonHeader?: true;
	/** Where its requests name the event and the delivery. */
	readonly names?: Names;
	/** What its events are about; the first that fits. They are asked of events of other routes too: each begins with what only this sender has. */
	readonly subjects?: readonly SubjectRule[];
	/** Its question whether we are there. It is asked of every payload whose signature is right; what it answers is no event. */
	readonly challenge?: Challenge;
	/** The answer to its unsigned `GET` that verifies the address; `undefined` when this is no such request. `member`: the answer is a JSON object with the text under that name; without it the text alone. */
	readonly greet?: (
		asked: Greeting,
	) => {readonly text: string; readonly member?: string} | {readonly problem: string} | undefined;
	/** The whole answer to an event that a person waits for, in the form of this sender; without a `body` an empty one. `said`: what became of it, a sentence. */
	readonly acknowledge?: (
		payload: JsonValue,
		said: string,
	) => {readonly body?: JsonObject} | undefined;
};

/** What a sender asks by `GET`. */
export type Greeting = {
	readonly query: URLSearchParams;
	/** By their names in small letters. */
	readonly header: (name: string) => string | undefined;
	/** Whether a text is a secret of the route; in constant time. */
	readonly isSecret: (text: string) => boolean;
};

/**
 * The answer to `payload` if it is such a question, else `undefined`. `sign`: the hex HMAC-SHA256 of a text with the secret that the request was signed with. An answer that is neither a `body` nor a `text` is a 204.
 */
export type Challenge = (
	payload: JsonValue,
	sign: (text: string) => string,
) => {readonly body?: JsonObject; readonly text?: string} | undefined;
