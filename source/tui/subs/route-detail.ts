import type {RouteView} from '../../core/config-view.ts';
import {blankLine, clean, line, wrapText, type Line} from '../panes/line.ts';
import {own, ui} from '../text/safe.ts';

const howToChange: Readonly<Record<RouteView['source'], string>> = {
	static: 'Read-only here. Edit config.yaml: it is reloaded when it changes.',
	dynamic:
		'Read-only here. Change it with `svc webhook subscribe`, remove it with `svc webhook remove`.',
};

/** One route as it is served; read-only. */
export function routeDetail(route: RouteView, width: number): readonly Line[] {
	return [
		line(ui`${clean(route.name)}  ${clean(route.source)}`, 'strong'),
		...(route.problem === undefined
			? []
			: wrapText(`not served: ${route.problem}`, width).map(row => line(row, 'bad'))),
		...(route.insecure
			? [line(own('! signatures are not checked: the secret is INSECURE_NO_AUTH'), 'warn')]
			: []),
		blankLine,
		fact('profile', route.profile),
		fact('events', route.events.length === 0 ? 'every event' : route.events.join(', ')),
		fact('deliver', route.deliver),
		fact('mode', route.mode),
		...(route.description === ''
			? []
			: [blankLine, ...wrapText(route.description, width).map(row => line(row))]),
		blankLine,
		...wrapText(howToChange[route.source], width).map(row => line(row, 'quiet')),
	];
}

const fact = (name: string, value: string): Line => [
	{text: clean(`${name.padEnd(12)} `), tone: 'quiet'},
	{text: clean(value)},
];
