import type {JsonObject, JsonValue} from '../../core/json.ts';

/** How a signature stands in a request: an HMAC in one header, perhaps with the time that it covers. */
export type SignatureForm = {
	/** Lower-case name of the header that holds the signature. */
	readonly header: string;
	readonly algorithm: 'sha1' | 'sha256' | 'sha512';
	/** Stands before the digest: `sha256=`. Empty for none. */
	readonly prefix: string;
	readonly encoding: 'hex' | 'base64';
	/** Lower-case name of the header with the Unix seconds; within 300 s of our clock. */
	readonly timestampHeader?: string;
	/** The header is a list, `<timestampItem>=<Unix seconds>,<prefix><digest>…`: what stands before the time. Not beside `timestampHeader`. */
	readonly timestampItem?: string;
	/** What is signed: `{body}`, `{timestamp}.{body}`. `{body}` stands in it exactly once. */
	readonly signed: string;
	/** Where the body, which is signed, tells the time: Unix milliseconds under `field`, within `toleranceMs` of our clock if they are there. */
	readonly bodyTime?: {readonly field: string; readonly toleranceMs: number};
};

/** Where requests name the event and the delivery: the first that is there and not empty. All of it counts before the general headers. */
export type Names = {
	/** Lower case. Nobody signs headers: they count after the fields. */
	readonly eventHeaders?: readonly string[];
	readonly idHeaders?: readonly Parts[];
	/** Dotted paths into the payload. */
	readonly eventFields?: readonly string[];
	/** The identifier is the same at each retry. Where the body is signed, one of these alone counts. */
	readonly idFields?: readonly Parts[];
};

/** One name, or several that must all be there and count together. */
type Parts = string | readonly string[];

/** A service that signs in a way of its own: what `signature: <name>` on a route stands for. Data alone; a new one is a file of this folder and a line in `senders.ts`. */
export type SenderPreset = {
	/** What is checked, for the manual, as Markdown. */
	readonly description: string;
	readonly signature: SignatureForm;
	/** Where its requests name the event and the delivery. */
	readonly names?: Names;
	/** Its question whether we are there. It is asked of every payload whose signature is right; what it answers is no event. */
	readonly challenge?: Challenge;
};

/**
 * The answer to `payload` if it is such a question, else `undefined`. `sign`: the hex HMAC-SHA256 of a text with the secret that the request was signed with. An answer without a `body` is a 204.
 */
export type Challenge = (
	payload: JsonValue,
	sign: (text: string) => string,
) => {readonly body?: JsonObject} | undefined;
