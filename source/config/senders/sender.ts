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

/** A service that signs in a way of its own: what `signature: <name>` on a route stands for. Data alone; a new one is a file of this folder and a line in `senders.ts`. */
export type Sender = {
	/** What is checked, for the manual, as Markdown. */
	readonly description: string;
	readonly signature: SignatureForm;
	/** Lower-case headers that name the event and the delivery; they count before the general ones. Nobody signs them. */
	readonly eventHeader?: string;
	readonly idHeader?: string;
	/** Where the body holds the identifier, the same at each retry; being signed, it alone counts. */
	readonly idField?: string;
	/** Its requests name the event in the body, and in no header. */
	readonly eventInBody?: true;
};
