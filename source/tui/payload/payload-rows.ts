import type {StoredDelivery} from '../../core/delivery.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {bytes} from '../../terminal/text/time.ts';
import {line, type Line} from '../lines/line.ts';
import type {Loaded} from '../state/loader.ts';
import {payloadOf, type PayloadTree} from './payload-tree.ts';

/** The payload of a delivery as rows; those of JSON say which field they show. */
export function payloadRows(loaded: Loaded<StoredDelivery>): readonly Line[] {
	switch (loaded.status) {
		case 'loading':
			return [line(literal('Payload  loading'), 'quiet')];
		case 'missing':
			return [line(notKept, 'quiet')];
		case 'failed':
			return [line(safe`Payload  ✗ ${escapeLine(loaded.reason)}`, 'bad')];
		case 'ready': {
			const tree = payloadOf(loaded.value);
			return tree ? treeRows(tree, loaded.value.body?.length ?? 0) : [line(notKept, 'quiet')];
		}
	}
}

const notKept = literal('Payload  not kept for this delivery');

const treeRows = ({lines, fields, flags, isCut}: PayloadTree, length: number): readonly Line[] => [
	[
		{text: literal('Payload'), tone: 'title'},
		{
			text: safe`  untrusted · ${flags} control · ${lines.length} lines · ${bytes(length)}`,
			tone: flags > 0 ? 'warn' : 'quiet',
		},
	],
	...lines.map((text, index): Line => {
		const field = fields[index];
		return [{text: safe` ${text}`, ...(field && {field})}];
	}),
	...(isCut ? [line(literal(' … e opens the rest in $PAGER'), 'quiet')] : []),
];
