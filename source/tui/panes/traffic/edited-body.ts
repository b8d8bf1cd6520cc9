import type {StoredDelivery} from '../../../core/delivery.ts';
import {messageOf} from '../../../core/errors.ts';
import {prettyJson} from '../../../core/exact-json.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {openMenu} from '../../dialogs/questions.ts';
import {clean} from '../../lines/line.ts';
import type {Shell} from '../../shell/shell.ts';
import {bodyText} from './copy-texts.ts';

/** A body for a person to read or edit: JSON with line breaks and its numbers as they were, anything else as it is. */
export const indented = (delivery: StoredDelivery): string => {
	const text = bodyText(delivery);
	return `${prettyJson(text) ?? text}\n`;
};

/**
 * Gives `send` what the person makes of the body of `delivery`. Nothing is sent when it was left as it was, or empty; a text that is no JSON is kept, and
 * can be edited again.
 */
export async function sendEditedBody(
	shell: Shell,
	delivery: StoredDelivery,
	{text, send}: {readonly text: string; readonly send: (body: string) => Promise<void>},
): Promise<void> {
	const edited = await shell.desktop.edit(text, suffixOf(delivery));
	const body = edited?.trim();
	if (edited === undefined || body === undefined) {
		shell.toast(literal('Nothing was changed, nothing is sent'));
		return;
	}

	if (body === '') {
		shell.toast(literal('Nothing is sent: the text was left empty'));
		return;
	}

	const mistake = mistakeIn(body, delivery);
	if (mistake === undefined) {
		await send(body);
		return;
	}

	const path = await keepBody(shell, delivery, body);
	openMenu(shell, {
		title: literal('Not replayed: the text is no JSON'),
		notes: [mistake, safe`Your text is in ${path}`],
		items: [
			{
				key: 'e',
				label: literal('edit it again'),
				run() {
					shell.attempt(async () => sendEditedBody(shell, delivery, {text: edited, send}));
				},
			},
		],
	});
}

/** Keeps a body that was not sent, in the cache of the home; where, for a toast. */
export const keepBody = async (
	shell: Shell,
	delivery: StoredDelivery,
	body: string,
): Promise<Safe> => shell.desktop.keep(`edited-${delivery.id}${suffixOf(delivery)}`, `${body}\n`);

const suffixOf = (delivery: StoredDelivery): '.json' | '.txt' =>
	prettyJson(bodyText(delivery)) === undefined ? '.txt' : '.json';

/** What the engine says of a text that is no JSON; the gateway takes nothing else, but forms. */
function mistakeIn(text: string, {headers}: StoredDelivery): Safe | undefined {
	const type = headers['content-type']?.toLowerCase() ?? '';
	if (type.startsWith('application/x-www-form-urlencoded')) {
		return undefined;
	}

	try {
		JSON.parse(text);
		return undefined;
	} catch (error) {
		return clean(messageOf(error));
	}
}
