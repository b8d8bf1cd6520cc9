import type {z} from 'zod';
import type {Immutable} from '../../core/schemas/parts.ts';
import type {Parameter} from './parameters.ts';

/** One operation of the control API, and thus one command of the `GatewayPort`. */
export type Operation = {
	readonly method: 'GET' | 'POST';
	/** Each `{name}` part is an argument of the command; they come first, in order. */
	readonly path: string;
	readonly summary: string;
	/** A POST that changes nothing. */
	readonly looks?: true;
	/** Parsers of path parts that are not plain texts. */
	readonly params?: Readonly<Record<string, Parameter>>;
	/** Parameters of the URL's query; the command's last argument is an object with these keys. */
	readonly query?: Readonly<Record<string, Parameter>>;
	/** Instead of a query: the command's last argument is the body. A call without one sends `{}`. */
	readonly body?: z.ZodType;
	/** Largest body in bytes; 8 MiB when absent. */
	readonly maxBodyBytes?: number;
	/** Schema of the JSON answer. If it is optional, a missing answer is 404 with `not_found`. Without `result` the answer is `{"done": true}`. */
	readonly result?: z.ZodType;
	/** Converts the command's value to JSON where the two differ; `result` decodes it. */
	readonly encode?: (value: never) => unknown;
	/** The command gets an `AbortSignal` as its last argument, which aborts when the client disconnects. */
	readonly heedsHangUp?: true;
	/** Timeout without any byte from the gateway before a client's call fails, milliseconds; a minute when absent. */
	readonly silenceMs?: number;
};

type Details = Omit<Operation, 'method' | 'path' | 'summary'>;

/** An operation with `GET`. */
export const get = <const Path extends string, const Given extends Details>(
	path: Path,
	summary: string,
	details: Given,
) => ({method: 'GET' as const, path, summary, ...details});

/** An operation with `POST`. */
export const post = <const Path extends string, const Given extends Details>(
	path: Path,
	summary: string,
	details: Given,
) => ({method: 'POST' as const, path, summary, ...details});

/** An operation that uses `POST` only for its body, and changes nothing. */
export const look = <const Path extends string, const Given extends Details>(
	path: Path,
	summary: string,
	details: Given,
) => ({...post(path, summary, details), looks: true as const});

export type Operations = Readonly<Record<string, Operation>>;

/** The types of the commands that `Table` describes. */
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

/** Largest body of operations that carry an event's body, which base64 makes a third larger. */
export const eventBodyBytes = 32 * 1024 * 1024;
