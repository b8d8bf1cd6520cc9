import {SdkHttpError, SseError} from '@modelcontextprotocol/client';
import {messageOf} from '../../core/errors.ts';
import type {Redact} from '../../core/redact.ts';
import {escapeLine} from '../../core/untrusted.ts';

const maxQuoteLength = 200;

/** The HTTP status that an error stands for; the SSE transport has it in its text alone. */
export function httpStatusOf(error: unknown): number | undefined {
	if (error instanceof SdkHttpError) {
		return error.status;
	}

	if (error instanceof SseError) {
		return error.code === 200 || error.code === undefined ? undefined : error.code;
	}

	const inText = error instanceof Error ? /\(HTTP (\d{3})\)/.exec(error.message)?.[1] : undefined;
	return inText === undefined ? undefined : Number(inText);
}

/** What a server said, without the SDK's words: the message of a JSON-RPC error, or the beginning of the text. */
export function quoteOf(error: unknown, redact: Redact): string {
	if (error instanceof SseError && error.code !== undefined) {
		return '';
	}

	const said = error instanceof SdkHttpError ? error.data['text'] : undefined;
	const inMessage = messageOf(error).replace(
		/^Error POSTing to endpoint(?: \(HTTP \d+\))?: (?:null$)?|^MCP error -?\d+: /,
		'',
	);
	const text = typeof said === 'string' && said !== '' ? said : inMessage;
	return cleanQuote(
		/^\s*<(?:!doctype|html)/i.test(text) ? 'a web page' : messageInJson(text),
		redact,
	);
}

function messageInJson(text: string): string {
	try {
		const message: unknown = JSON.parse(text)?.error?.message;
		return typeof message === 'string' ? message : text;
	} catch {
		return text;
	}
}

/** A stranger's words for one sentence: redacted, then cleaned and cut to 200 characters. */
export const cleanQuote = (text: string, redact: Redact): string =>
	escapeLine(redact(text).trim(), maxQuoteLength);
