import type {StoredDelivery} from '../../core/delivery.ts';
import {codeHostPayload} from '../../core/form-payload.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {bytes} from '../../terminal/text/time.ts';
import {clean, line, type Line} from '../lines/line.ts';
import type {Loaded} from '../state/loader.ts';
import {payloadTree} from './payload-tree.ts';

/** The payload of a delivery as rows; those of JSON say which field they show. */
export function payloadRows(loaded: Loaded<StoredDelivery>): readonly Line[] {
	switch (loaded.status) {
		case 'loading':
			return [line(literal('Payload  loading'), 'quiet')];
		case 'missing':
			return [line(literal('Payload  not kept for this delivery'), 'quiet')];
		case 'failed':
			return [line(safe`Payload  ✗ ${clean(loaded.reason)}`, 'bad')];
		case 'ready': {
			return bodyRows(loaded.value);
		}
	}
}

function bodyRows(delivery: StoredDelivery): readonly Line[] {
	const {body} = delivery;
	if (!body) {
		return [line(literal('Payload  not kept for this delivery'), 'quiet')];
	}

	const json = codeHostPayload(delivery);
	const {lines, fields, flags, isCut} = payloadTree(
		json === undefined ? body : new TextEncoder().encode(json),
	);
	return [
		[
			{text: literal('Payload'), tone: 'title'},
			{
				text: safe`  untrusted · ${flags} control · ${lines.length} lines · ${bytes(body.length)}`,
				tone: flags > 0 ? 'warn' : 'quiet',
			},
		],
		...lines.map((text, index): Line => {
			const field = fields[index];
			return [{text: safe` ${text}`, ...(field && {field})}];
		}),
		...(isCut ? [line(literal(' … e opens the rest in $PAGER'), 'quiet')] : []),
	];
}
