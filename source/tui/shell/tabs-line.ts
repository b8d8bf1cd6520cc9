import type {GatewayState} from '../../core/state.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {clean, type Line} from '../panes/line.ts';
import {paneKey, type Pane} from '../panes/pane.ts';

const full = 100;

/** The panes with their keys; the open one in brackets, with short names below 100 columns. */
export function tabsLine(
	{panes, open}: {readonly panes: readonly Pane[]; readonly open: string},
	state: GatewayState,
	width: number,
): Line {
	const labels = panes.map(({id, title, short, count}, index) => {
		const number = count?.(state) ?? 0;
		const name =
			`${paneKey(index) ?? ''} ${width >= full ? title : short}${number > 0 ? ` ${number}` : ''}`.trimStart();
		return {text: clean(id === open ? `[${name}]` : ` ${name} `), isOpen: id === open};
	});
	const used = labels.reduce((sum, label) => sum + widthOf(label.text), 0);
	// Wide screens get air between the tabs, narrow ones none.
	const space = clean(used + labels.length <= width ? ' ' : '');
	return labels.flatMap(({text, isOpen}) => [
		{text, tone: isOpen ? 'strong' : 'quiet'},
		{text: space},
	]);
}
