;; The sums of the cart, in cents. Assembled with `wat2wasm cart.wat -o cart.wasm`; the bundle holds the result.
(module
  ;; One page: room for 8,192 lines of the cart.
  (memory (export "memory") 1)

  ;; The sum of price × quantity over `count` lines at `address`; a line is two 32-bit numbers.
  (func (export "subtotal") (param $address i32) (param $count i32) (result i32)
    (local $sum i32)
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $sum
          (i32.add
            (local.get $sum)
            (i32.mul
              (i32.load (local.get $address))
              (i32.load offset=4 (local.get $address)))))
        (local.set $address (i32.add (local.get $address) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))
    (local.get $sum))

  ;; Ten per cent from €60, rounded half up to the cent; nothing below.
  (func (export "discount") (param $subtotal i32) (result i32)
    (select
      (i32.div_u (i32.add (local.get $subtotal) (i32.const 5)) (i32.const 10))
      (i32.const 0)
      (i32.ge_u (local.get $subtotal) (i32.const 6000)))))
