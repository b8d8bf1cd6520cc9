import type {Approval} from '../../core/approval.ts';
import {type FromEvent, fromEventLines} from '../../core/approvals/from-event.ts';
import {quotedName} from '../../core/quoted-name.ts';

/** All of a request as plain text, for the pager. What the server wrote stands behind a mark in each row: it can begin no part of its own. */
export const pagedText = (approval: Approval, fromEvent: readonly FromEvent[] = []): string =>
	approval.kind === 'tool'
		? [
				`${quotedName(approval.tool.tool)} on ${approval.tool.server}`,
				`arguments\n${JSON.stringify(approval.args, undefined, 2)}`,
				...(fromEvent.length === 0 ? [] : [fromEventLines(fromEvent).join('\n')]),
				...(approval.lastArgs === undefined
					? []
					: [
							`arguments of the last call that was allowed\n${JSON.stringify(approval.lastArgs, undefined, 2)}`,
						]),
				`text by the server\n${marked(approval.tool.description)}`,
				`schema by the server\n${marked(JSON.stringify(approval.tool.inputSchema, undefined, 2))}`,
			].join('\n\n')
		: `${approval.server}\n\n${marked(approval.message)}`;

const marked = (text: string): string =>
	text
		.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
		.map(line => `│ ${line}`)
		.join('\n');
