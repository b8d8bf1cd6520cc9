import {literal, safe} from '../../../terminal/text/safe.ts';
import {useStore} from '../../state/use-store.ts';
import type {Tone} from '../../theme/theme.ts';
import {Empty} from '../../view/empty.tsx';
import {ListRows} from '../../view/list-rows.tsx';
import type {RegionProps} from '../../view/region.ts';
import {useShell} from '../../view/shell-context.ts';
import type {Line} from '../line.ts';
import {logList, logLook} from './log-list.ts';
import type {LogRow} from './log-row.ts';

const tones: Readonly<Record<LogRow['record']['level'], Tone>> = {
	error: 'bad',
	warn: 'warn',
	info: 'plain',
	debug: 'quiet',
};

const logLine = ({text, record}: LogRow, isSelected: boolean): Line => [
	{text: isSelected ? literal('> ') : literal('  '), tone: 'accent'},
	{text: safe`${text}`, tone: tones[record.level]},
];

/** The records of the log, one row each, or several where they are wrapped. */
export function LogsBody({width, height}: RegionProps) {
	const shell = useShell();
	const records = shell.list(logList);
	useStore(shell.view, () => shell.local(logLook).get());
	return (
		<ListRows
			list={records}
			keyOf={row => row.key}
			rowOf={logLine}
			width={width}
			height={height}
			whenEmpty={<Empty isFiltered={records.get().total > 0} width={width} height={height} />}
		/>
	);
}
