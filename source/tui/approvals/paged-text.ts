import type {Approval, ToolApproval} from '../../core/approval.ts';
import {type FromEvent, fromEventLines} from '../../core/approvals/from-event.ts';
import type {JsonValue} from '../../core/json.ts';
import {quotedName} from '../../core/names.ts';
import {speakers, toolFrom, whereWords} from '../../core/tool.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {previewTexts} from '../../nouns/approval/preview-lines.ts';

/** A whole request as plain text for the pager. Each row of the server's words has a mark before it, so they cannot imitate another part. */
export const pagedText = (approval: Approval, fromEvent: readonly FromEvent[] = []): string =>
	approval.kind === 'tool'
		? [
				`${quotedName(approval.tool.tool)} ${whereWords(toolFrom(approval.tool))}`,
				...previewPart(approval),
				`arguments\n${readable(approval.args)}`,
				...(fromEvent.length === 0 ? [] : [fromEventLines(fromEvent).join('\n')]),
				...(approval.lastArgs === undefined
					? []
					: [`arguments of the last call that was allowed\n${readable(approval.lastArgs)}`]),
				`text by ${speakerOf(approval)}\n${marked(approval.tool.description)}`,
				`schema by ${speakerOf(approval)}\n${marked(JSON.stringify(approval.tool.inputSchema, undefined, 2))}`,
			].join('\n\n')
		: `${approval.server}\n\n${marked(approval.message)}`;

const previewPart = ({preview}: ToolApproval): readonly string[] =>
	preview
		? [
				[
					preview.title,
					...preview.facts.map(({name, value}) => `${name}: ${escapeLine(value, Infinity)}`),
					...previewTexts(preview).map(line => `│ ${line}`),
				].join('\n'),
			]
		: [];

const speakerOf = ({tool}: ToolApproval): string => speakers[toolFrom(tool).kind];

/** With more parts than this, indentation alone could exceed the pager's limit and cut the rest. */
const maxIndented = 15_000;

/** A whole value, in indented lines if it has few parts. */
function readable(value: JsonValue): string {
	const short = JSON.stringify(value);
	const parts = short.match(/[,[{]/g)?.length ?? 0;
	return parts > maxIndented ? short : JSON.stringify(value, undefined, 2);
}

const marked = (text: string): string =>
	text
		.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
		.map(line => `│ ${line}`)
		.join('\n');
