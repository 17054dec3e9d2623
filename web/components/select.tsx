import {
  Button,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
} from 'react-aria-components';
import { Icon } from './icon.tsx';
import { useIsLocked } from './submission.ts';
import { FieldFault, type FieldText } from './text-field.tsx';
import './field.css';
import './menu.css';

export type Option<Id extends string = string> = { id: Id; label: string };

/** One of a few choices. In a form, `name` sends the id. */
export function Select<Id extends string>({
  label,
  hideLabel = false,
  options,
  value,
  onChange,
  error,
  name,
  placeholder,
  autoFocus = false,
}: FieldText & {
  options: readonly Option<Id>[];
  value: Id | null;
  onChange: (id: Id) => void;
  error?: string | undefined;
  name?: string;
  placeholder?: string;
  autoFocus?: boolean;
}) {
  const isLocked = useIsLocked();
  return (
    <AriaSelect
      className="field"
      value={value}
      onChange={(key) => {
        const option = options.find(({ id }) => id === key);
        if (option && !isLocked) onChange(option.id);
      }}
      autoFocus={autoFocus}
      {...(placeholder === undefined ? {} : { placeholder })}
      {...(name === undefined ? {} : { name })}
      {...(error ? { isInvalid: true } : {})}
    >
      <Label className={hideLabel ? 'visually-hidden' : 'field-label'}>{label}</Label>
      {/* A disabled button would lose the focus. */}
      <Button className="field-input field-select" {...(isLocked && { 'aria-disabled': true })}>
        <SelectValue className="truncate" />
        <Icon name="down" />
      </Button>
      <FieldFault error={error} />
      <Popover className="popover" offset={4}>
        <ListBox className="listbox">
          {options.map(({ id, label }) => (
            <ListBoxItem key={id} id={id} className="menu-item" textValue={label}>
              {({ isSelected }) => (
                <>
                  {isSelected ? <Icon name="check" /> : <span className="menu-space" />}
                  <span className="menu-text">{label}</span>
                </>
              )}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
