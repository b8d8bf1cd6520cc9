import {createHmac, randomUUID} from 'node:crypto';

/** The secret of every route under test that names none. */
export const hookSecret = 'correct horse battery staple';

/** What came back from the receiver. */
export type Answer = {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
	/** The body, if it is JSON. */
	// oxlint-disable-next-line typescript/no-explicit-any -- tests read it by path
	readonly json: any;
};

/** `sha256=…` of a body, as the first code host signs. */
export const hubSignature = (body: string, secret = hookSecret): string =>
	`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Posts `payload` (text as it is, else JSON) with a signature, an event and an identifier of its own unless `headers` has them. */
export async function post(
	url: string,
	{
		payload,
		headers = {},
		secret,
	}: {
		readonly payload: unknown;
		readonly headers?: Readonly<Record<string, string>>;
		readonly secret?: string;
	},
): Promise<Answer> {
	const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
	return answerOf(
		await fetch(url, {
			method: 'POST',
			body,
			headers: {
				'content-type': 'application/json',
				// A connection that stays open costs the drain a second of politeness.
				connection: 'close',
				'x-github-event': 'push',
				'x-github-delivery': randomUUID(),
				'x-hub-signature-256': hubSignature(body, secret),
				...headers,
			},
		}),
	);
}

/** Reads a response to its end. */
export async function answerOf(response: Response): Promise<Answer> {
	const text = await response.text();
	return {
		status: response.status,
		headers: response.headers,
		text,
		get json() {
			return JSON.parse(text);
		},
	};
}
