import type {FilterSpec, Route} from '../config/route.ts';
import {headerNameOf} from './field-path.ts';
import {isStoredHeader} from './headers.ts';
import type {RequestHeaders} from './headers.ts';

/** Headers beyond those that are kept anyway. */
const maxKept = 20;

const maxNameLength = 256;

/** What a header with a credential is called. */
const secretName =
	/auth|cookie|credential|csrf|digest|hmac|jwt|passw|secret|session|signature|token|(?:^|-)sig(?:-|$)|(?:api|access|private|shared)-?key/;

/** The headers that `filters` look at and that are not kept with every delivery: lower-case names, each once. */
export const filterHeadersOf = (filters: readonly FilterSpec[]): readonly string[] => [
	...new Set(filters.flatMap(headersIn)),
];

function headersIn({field = '', all = [], any = [], not = []}: FilterSpec): readonly string[] {
	const header = headerNameOf(field);
	const own = header === undefined || isStoredHeader(header) ? [] : [header];
	const inner = [...all, ...any, ...('length' in not ? not : [not])];
	return [...own, ...inner.flatMap(headersIn)];
}

/**
 * Those of them, and those that name the event, that are kept with the deliveries of a route, so that a replay is the same event and its filters say the same of it: at most 20, and none
 * that holds a signature or, by its name, another credential.
 */
export const keptHeadersOf = ({
	filters,
	signature,
	eventHeaders = [],
}: Pick<Route, 'filters' | 'signature' | 'eventHeaders'>): readonly string[] =>
	[...new Set([...eventHeaders.filter(name => !isStoredHeader(name)), ...filterHeadersOf(filters)])]
		.filter(name => name !== '' && name.length <= maxNameLength && !secretName.test(name))
		.filter(name => name !== signature?.header)
		.slice(0, maxKept);

/** The headers that the filters of a route look at and that `headers`, as they were kept, do not hold: nobody knows whether the sender sent them. */
export const headersNotKept = (
	{filters}: Pick<Route, 'filters'>,
	headers: RequestHeaders,
): readonly string[] => filterHeadersOf(filters).filter(name => !Object.hasOwn(headers, name));
