import {escapeLine} from '../../core/untrusted.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {type Line} from '../lines/line.ts';
import {paneKey, type Pane} from '../panes/pane.ts';

const full = 100;

type Tab = {
	readonly key: string;
	readonly title: string;
	readonly short: string;
	readonly isOpen: boolean;
};

type TabsShown = {
	readonly panes: ReadonlyArray<Pick<Pane, 'id' | 'title' | 'short'>>;
	readonly open: string;
};

/**
 * The panes with their keys, the open one in brackets. If they do not fit, names are shortened, then blanks removed, then panes farthest from the open one reduced
 * to their key; none is cut. The status row shows what waits for a person.
 */
export function tabsLine({panes, open}: TabsShown, width: number): Line {
	const tabs = panes.map(({id, title, short = title}, index): Tab => ({
		key: paneKey(index) ?? '',
		title,
		short,
		isOpen: id === open,
	}));
	return (
		waysToShow(tabs, width)
			.map(labels => line(labels, tabs))
			.find(row => row.reduce((sum, {text}) => sum + widthOf(text), 0) <= width) ??
		line(tight(tabs, new Set(tabs)), tabs)
	);
}

/** The tabs' texts and the text between them, widest first. */
type Labels = {readonly texts: readonly string[]; readonly between: string};

function waysToShow(tabs: readonly Tab[], width: number): readonly Labels[] {
	const named = (nameOf: (tab: Tab) => string, behindKey = ' ') =>
		tabs.map(tab => {
			const text = [tab.key, nameOf(tab)].filter(part => part !== '').join(behindKey);
			return tab.isOpen ? `[${text}]` : ` ${text} `;
		});
	const titles = named(({title}) => title);
	const shorts = named(({short}) => short);
	return [
		...(width >= full
			? [
					{texts: titles, between: ' '},
					{texts: titles, between: ''},
				]
			: []),
		{texts: shorts, between: ' '},
		{texts: shorts, between: ''},
		{texts: named(({short}) => short, ''), between: ''},
		...tabs.map((_, hidden) => tight(tabs, new Set(leastWanted(tabs).slice(0, hidden)))),
	];
}

/** `1Traf 2Grp [3Tools] 4`. */
const tight = (tabs: readonly Tab[], nameless: ReadonlySet<Tab>): Labels => ({
	texts: tabs.map(tab => {
		const {key, short, isOpen} = tab;
		const text = nameless.has(tab) && key !== '' && !isOpen ? key : `${key}${short}`;
		return isOpen ? `[${text}]` : text;
	}),
	between: ' ',
});

/** The order in which panes lose their names: farthest from the open one first. */
function leastWanted(tabs: readonly Tab[]): readonly Tab[] {
	const open = tabs.findIndex(({isOpen}) => isOpen);
	const distance = new Map(tabs.map((tab, index) => [tab, Math.abs(index - open)]));
	return tabs
		.filter(({isOpen}) => !isOpen)
		.toSorted((one, other) => (distance.get(other) ?? 0) - (distance.get(one) ?? 0));
}

const line = ({texts, between}: Labels, tabs: readonly Tab[]): Line =>
	texts.flatMap((text, index) => [
		...(index > 0 && between !== '' ? [{text: escapeLine(between)}] : []),
		{
			text: escapeLine(text),
			tone: tabs[index]?.isOpen === true ? ('strong' as const) : ('plain' as const),
		},
	]);
