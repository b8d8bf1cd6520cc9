import type {z} from 'zod';
import type {Immutable} from '../../core/schemas/parts.ts';
import type {Parameter} from './parameters.ts';

/** One operation of the control API, and the command of the `GatewayPort` that it stands for. */
export type Operation = {
	readonly method: 'GET' | 'POST';
	/** With `{name}` parts: the first arguments of the command, in their order. */
	readonly path: string;
	readonly summary: string;
	/** Changes nothing, though it is no GET. */
	readonly looks?: true;
	/** Parts of the path that are no texts. */
	readonly params?: Readonly<Record<string, Parameter>>;
	/** Of the URL; the last argument of the command is an object with these keys. */
	readonly query?: Readonly<Record<string, Parameter>>;
	/** Instead of a query: the last argument of the command is this. A call without a body sends `{}`. */
	readonly body?: z.ZodType;
	/** Largest body in bytes; 8 MiB when absent. */
	readonly maxBodyBytes?: number;
	/** The JSON that is answered. An optional one may be missing: 404 with `not_found`. Without, `{"done": true}` is. */
	readonly result?: z.ZodType;
	/** Makes that JSON of what the command resolves to, where the two differ; `result` makes it back. */
	readonly encode?: (value: never) => unknown;
	/** Ends when the client hangs up: its command takes a signal of that behind its arguments. */
	readonly heedsHangUp?: true;
	/** Longest silence of the gateway before a call of it fails; a minute when absent. */
	readonly silenceMs?: number;
};

type Details = Omit<Operation, 'method' | 'path' | 'summary'>;

/** An operation that is asked by `GET`. */
export const get = <const Path extends string, const Given extends Details>(
	path: Path,
	summary: string,
	details: Given,
) => ({method: 'GET' as const, path, summary, ...details});

/** One that is asked by `POST`. */
export const post = <const Path extends string, const Given extends Details>(
	path: Path,
	summary: string,
	details: Given,
) => ({method: 'POST' as const, path, summary, ...details});

/** One that is asked by `POST`, for the sake of its body, and changes nothing. */
export const look = <const Path extends string, const Given extends Details>(
	path: Path,
	summary: string,
	details: Given,
) => ({...post(path, summary, details), looks: true as const});

/** Operations by the names of their commands. */
export type Operations = Readonly<Record<string, Operation>>;

/** The commands that `Table` describes. */
export type CommandsOf<Table extends Operations> = {
	-readonly [Name in keyof Table]: (
		...args: Arguments<Table[Name]>
	) => Promise<Result<Table[Name]>>;
};

type Arguments<One extends Operation> = [
	...PathValues<PartsOf<One['path']>, One['params']>,
	...InputArgument<Input<One>>,
	...(One extends {readonly heedsHangUp: true} ? [hungUp?: AbortSignal] : []),
];

type PartsOf<Path extends string> = Path extends `${string}{${infer Part}}${infer Rest}`
	? [Part, ...PartsOf<Rest>]
	: [];

type PathValues<Parts extends readonly string[], Params> = {
	[Index in keyof Parts]: Params extends Readonly<Record<Parts[Index], Parameter<infer Value>>>
		? Value
		: string;
};

type InputArgument<Value> = [Value] extends [never]
	? []
	: Partial<Value> extends Value
		? [input?: Value]
		: [input: Value];

type Input<One extends Operation> = One extends {readonly body: infer Body extends z.ZodType}
	? Immutable<z.output<Body>>
	: One extends {readonly query: infer Query extends Readonly<Record<string, Parameter>>}
		? QueryInput<Query>
		: never;

type QueryInput<Query extends Readonly<Record<string, Parameter>>> = {
	readonly [Key in keyof Query as IsOptional<Query[Key]> extends true ? never : Key]: ValueOf<
		Query[Key]
	>;
} & {
	readonly [Key in keyof Query as IsOptional<Query[Key]> extends true ? Key : never]?: Exclude<
		ValueOf<Query[Key]>,
		undefined
	>;
};

type ValueOf<One> = One extends Parameter<infer Value> ? Value : never;

type IsOptional<One> = undefined extends ValueOf<One> ? true : false;

type Result<One extends Operation> = One extends {readonly result: infer Schema extends z.ZodType}
	? Immutable<z.output<Schema>>
	: void;

/** Largest body of operations that carry the body of an event: in base64 it is a third larger. */
export const eventBodyBytes = 32 * 1024 * 1024;
