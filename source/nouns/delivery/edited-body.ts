import type {StoredDelivery} from '../../core/delivery.ts';
import {messageOf} from '../../core/errors.ts';
import {prettyJson} from '../../core/json.ts';
import {isFormType} from '../../core/payload.ts';
import {bodyText} from './delivery-copies.ts';

/** A body to read or edit: JSON with line breaks and unchanged numbers, other text as it is. `kept`: the file name under which an unsendable edit is saved. */
export function editableBody(delivery: StoredDelivery) {
	const text = bodyText(delivery);
	const pretty = prettyJson(text);
	const suffix = pretty === undefined ? '.txt' : '.json';
	return {text: `${pretty ?? text}\n`, suffix, kept: `edited-${delivery.id}${suffix}`} as const;
}

/** The result of an edit: a body to send, the reason to send nothing, or its mistake. */
export type EditedBody =
	| {readonly kind: 'body'; readonly body: string}
	| {readonly kind: 'nothing'; readonly left: 'as it was' | 'empty'}
	| {readonly kind: 'mistake'; readonly body: string; readonly why: string};

/** Checks a delivery's edited body; `undefined` if it was left unchanged. The gateway accepts JSON, and forms if the content type says so. */
export function editedBody(
	edited: string | undefined,
	{headers}: Pick<StoredDelivery, 'headers'>,
): EditedBody {
	const body = edited?.trim() ?? '';
	if (body === '') {
		return {kind: 'nothing', left: edited === undefined ? 'as it was' : 'empty'};
	}

	try {
		if (!isFormType(headers['content-type'])) {
			JSON.parse(body);
		}

		return {kind: 'body', body};
	} catch (error) {
		return {kind: 'mistake', body, why: messageOf(error)};
	}
}
