/**
 * Where a profile keeps what its routes name, absolute: `in_file` resolves in `home`, `script` in `scripts`. `default` is the profile of this gateway.
 *
 * @see manual/filters-and-templates.md#filters, manual/filters-and-templates.md#scripts
 */
export type HomeOf = (profile: string) => {readonly home: string; readonly scripts: string};
