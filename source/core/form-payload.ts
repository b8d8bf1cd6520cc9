import type {StoredDelivery} from './delivery.ts';

/** Headers in which code hosts name their event, lower case, in their order. @see manual/receiver.md#events-and-identifiers */
export const codeHostEventHeaders = [
	'x-forge-event',
	'x-forge2-event',
	'x-github-event',
	'x-gitlab-event',
	'x-gitea-event',
	'x-forgejo-event',
] as const;

/** Whether a content type is that of a form. */
export const isFormType = (contentType: string | undefined): boolean =>
	/^application\/x-www-form-urlencoded/i.test(contentType ?? '');

/** What the field `payload` of a form holds; `undefined` without one. */
export function payloadOfForm(form: string): string | undefined {
	const fields = new URLSearchParams(form);
	// The last of several counts, as it does of every field.
	return fields.getAll('payload').at(-1);
}

/** The payload that a code host wrote into a form, as text; `undefined` for every other body. */
export function codeHostPayload({
	body,
	headers,
}: Pick<StoredDelivery, 'body' | 'headers'>): string | undefined {
	const isCodeHost = codeHostEventHeaders.some(name => headers[name]);
	const text =
		body && isCodeHost && isFormType(headers['content-type'])
			? new TextDecoder().decode(body)
			: '{';
	return text.startsWith('{') ? undefined : payloadOfForm(text);
}
