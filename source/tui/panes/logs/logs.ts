import {createMemory} from '../../../core/derive.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {fullTime} from '../../../terminal/text/time.ts';
import type {DetailSource} from '../../lines/detail.ts';
import {blankLine, clean, line, wrapText, type Line} from '../../lines/line.ts';
import {countPart, followPart} from '../../lines/title-parts.ts';
import {onePane} from '../../nouns/listing.ts';
import type {Host, Shell} from '../../shell/shell.ts';
import {logCommands} from './log-commands.ts';
import {logList, logLook} from './log-list.ts';
import {logVocabulary, type LogRow} from './log-row.ts';

function createRecordDetail({list}: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const records = list(logList);
	return {
		lines(width) {
			const row = records.selected();
			return remember([row?.record, width], () => (row ? logDetail(row, width) : []));
		},
	};
}

const levels = ['error', 'warn', 'info', 'debug'] as const;

/** `error warn info · wrapped`, `only error, e: all · wrapped`. */
function lookPart({local}: Shell): Line {
	const look = local(logLook).get();
	const {only} = look;
	const shown =
		only === undefined
			? levels.filter(level => look.levels.has(level)).join(' ')
			: `only ${only}, ${only.slice(0, 1)}: all`;
	return [
		{
			text: clean(`${shown}${look.isWrapped ? ' · wrapped' : ''}`),
			tone: only === undefined ? 'quiet' : 'warn',
		},
	];
}

/** What the program says about itself. */
export const logsPane = onePane({
	id: 'logs',
	title: literal('Logs'),
	manual: 'errors',
	count: undefined,
	empty: () => [
		'No records at these levels.',
		'e w i d show errors, warnings, info or debug alone; the same key once more shows all.',
	],
	isWide: true,
	commands: logCommands,
	listing: {
		list: logList,
		vocabulary: logVocabulary,
		isLive: true,
		detail: createRecordDetail,
		hasCursor: false,
	},
	summary(shell) {
		const records = shell.list(logList);
		return [countPart(records), lookPart(shell), followPart(records)];
	},
});

/** One record with every field on its own row. */
function logDetail({record}: LogRow, width: number): readonly Line[] {
	return [
		line(safe`${fullTime(record.at)}  ${clean(record.level)}  ${clean(record.source)}`, 'strong'),
		blankLine,
		...wrapText(record.message, width).map(row => line(row)),
		blankLine,
		...Object.entries(record.fields).flatMap(([key, value]) =>
			wrapText(`${key}  ${String(value)}`, width).map(row => line(row, 'quiet')),
		),
	];
}
