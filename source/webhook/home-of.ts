/**
 * Where a profile keeps what its routes name, absolute: `in_file` resolves in `home`, `script` in `scripts`. `default` is the profile of this gateway.
 *
 * @see Interface 2.6, 2.8
 */
export type HomeOf = (profile: string) => {readonly home: string; readonly scripts: string};
