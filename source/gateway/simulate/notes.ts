import type {Route} from '../../config/route.ts';
import {filterHeadersOf} from '../../webhook/filter.ts';

/** What these settings ask that stored events cannot answer, one sentence each; `headers`: those of the events, by whom the header is missing. */
export const notesOn = (
	routes: readonly Route[],
	headers: ReadonlyArray<Readonly<Record<string, string>>> = [],
): readonly string[] => [...new Set(sentences(routes, headers))];

const sentences = (
	routes: readonly Route[],
	headers: ReadonlyArray<Readonly<Record<string, string>>>,
): readonly string[] => [
	...routes.flatMap(({enabled}) =>
		enabled
			? []
			: [
					'the route is paused: what would start something is answered 503 and kept; this is what becomes of it once it goes on',
				],
	),
	...routes.flatMap(({script}) =>
		script === undefined
			? []
			: [`the script ${script} is not run: what it ignores or changes does not show`],
	),
	...filterHeadersOf(routes.flatMap(({filters}) => filters)).flatMap(header => {
		const without = headers.filter(stored => !Object.hasOwn(stored, header)).length;
		return without === 0
			? []
			: [
					`the header ${header} is not stored with ${without} of ${headers.length} events: filters find it missing there`,
				];
	}),
];
